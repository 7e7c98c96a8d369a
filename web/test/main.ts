// The studio as it is shipped, and beside it what the tests look at.
import './environment'
import '../src/studio/main'
import { expose } from './hook'

expose()
