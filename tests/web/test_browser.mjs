// The studio in a browser: all suites in one process, with one browser, one server and one page for most tests.
// usage: node test_browser.mjs PROGRAM PICTURES TEST_PAGE
import './test_studio.mjs'
import './test_view.mjs'
import './test_workbench.mjs'
import './test_subsystems.mjs'
import './test_schematic.mjs'
import './test_copying.mjs'
import './test_tour.mjs'
import './test_building.mjs'
import './test_import.mjs'
import './test_documents.mjs' // last: what it saves and opens would be there for the others
