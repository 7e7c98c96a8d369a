// Writes the STEP files of the tests: a four-bar with modelled pins, a slider in a tube, a cover with screws; and a block as
// BREP.
//     make_step_files FOLDER
#include <BRepAlgoAPI_Cut.hxx>
#include <BRepAlgoAPI_Fuse.hxx>
#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <BRepTools.hxx>
#include <STEPCAFControl_Writer.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <cmath>
#include <cstdio>
#include <string>

namespace {

const double PLAY = 0.05, RADIUS = 5, THICK = 8;           // mm

// A document with one assembly.
class Assembly {
public:
    explicit Assembly(const char *name) : document(new TDocStd_Document("tenon"))
    {
        tool = XCAFDoc_DocumentTool::ShapeTool(document->Main());
        root = tool->NewShape();
        TDataStd_Name::Set(root, name);
    }
    TDF_Label part(const TopoDS_Shape &shape, const char *name)
    {
        TDF_Label label = tool->AddShape(shape, Standard_False);
        TDataStd_Name::Set(label, name);
        return label;
    }
    TDF_Label assembly(const char *name)
    {
        TDF_Label label = tool->NewShape();
        TDataStd_Name::Set(label, name);
        return label;
    }
    void put(const TDF_Label &into, const TDF_Label &what, const gp_Trsf &place, const char *name)
    {
        TDataStd_Name::Set(tool->AddComponent(into, what, TopLoc_Location(place)), name);
    }
    bool write(const std::string &path)
    {
        tool->UpdateAssemblies();
        STEPCAFControl_Writer writer;
        return writer.Transfer(document, STEPControl_AsIs) && writer.Write(path.c_str()) == IFSelect_RetDone;
    }
    TDF_Label root;

private:
    Handle(TDocStd_Document) document;
    Handle(XCAFDoc_ShapeTool) tool;
};

gp_Trsf at(double x, double y, double z, double angle = 0)
{
    gp_Trsf turn, move;
    turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)), angle);
    move.SetTranslation(gp_Vec(x, y, z));
    return move * turn;
}

// A bar along x with a hole at each end; from z = 0 to its thickness.
TopoDS_Shape bar(double length, double width)
{
    TopoDS_Shape solid = BRepPrimAPI_MakeBox(gp_Pnt(-15, -width / 2, 0), gp_Pnt(length + 15, width / 2, THICK)).Shape();
    for (double x : { 0.0, length })
        solid = BRepAlgoAPI_Cut(solid, BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x, 0, -1), gp_Dir(0, 0, 1)), RADIUS + PLAY,
                                                                THICK + 2).Shape()).Shape();
    return solid;
}

// Head, shaft through two bars.
TopoDS_Shape pin()
{
    TopoDS_Shape shaft = BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)), RADIUS, 2 * THICK).Shape();
    return BRepAlgoAPI_Fuse(shaft, BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(0, 0, 2 * THICK), gp_Dir(0, 0, 1)), 2 * RADIUS, 3)
                            .Shape()).Shape();
}

bool four_bar(const std::string &folder)
{
    const double a = 100, b = 300, c = 250, d = 320, phi = 1.1;
    double ax = a * std::cos(phi), ay = a * std::sin(phi), dx = d - ax, dy = -ay, e = std::hypot(dx, dy);
    double along = (b * b - c * c + e * e) / (2 * e), up = std::sqrt(b * b - along * along);
    double bx = ax + (along * dx - up * dy) / e, by = ay + (along * dy + up * dx) / e;
    Assembly all("four bar");
    TDF_Label frame = all.part(bar(d, 60), "frame"), crank = all.part(bar(a, 30), "crank");
    TDF_Label coupler = all.part(bar(b, 30), "coupler"), rocker = all.part(bar(c, 30), "rocker"), pins = all.part(pin(), "pin");
    all.put(all.root, frame, at(0, 0, 0), "frame");
    all.put(all.root, crank, at(0, 0, THICK, phi), "crank");
    all.put(all.root, coupler, at(ax, ay, 0, std::atan2(by - ay, bx - ax)), "coupler");
    all.put(all.root, rocker, at(d, 0, THICK, std::atan2(by, bx - d)), "rocker");
    all.put(all.root, pins, at(0, 0, 0), "pin_a");
    all.put(all.root, pins, at(ax, ay, 0), "pin_b");
    all.put(all.root, pins, at(bx, by, 0), "pin_c");
    all.put(all.root, pins, at(d, 0, 0), "pin_d");
    return all.write(folder + "/four-bar.step");
}

// A slider in a square tube: four planes.
bool rail(const std::string &folder)
{
    Assembly all("rail");
    TopoDS_Shape tube = BRepAlgoAPI_Cut(BRepPrimAPI_MakeBox(gp_Pnt(0, -20, -20), gp_Pnt(200, 20, 20)).Shape(),
                                        BRepPrimAPI_MakeBox(gp_Pnt(-1, -10, -10), gp_Pnt(201, 10, 10)).Shape()).Shape();
    TDF_Label guide = all.part(tube, "tube"), slider = all.part(BRepPrimAPI_MakeBox(gp_Pnt(0, -10, -10), gp_Pnt(60, 10, 10))
                                                                .Shape(), "slider");
    all.put(all.root, guide, at(0, 0, 0), "tube");
    all.put(all.root, slider, at(50, 0, 0), "slider");
    return all.write(folder + "/rail.step");
}

// A plate with a cover on two screws in a sub-assembly, and a lone block beside them.
bool cover(const std::string &folder)
{
    Assembly all("cover");
    TopoDS_Shape plate = BRepPrimAPI_MakeBox(gp_Pnt(0, 0, 0), gp_Pnt(100, 60, 20)).Shape();
    TopoDS_Shape lid = BRepPrimAPI_MakeBox(gp_Pnt(0, 0, 20), gp_Pnt(100, 60, 25)).Shape();
    for (double x : { 20.0, 80.0 }) {
        plate = BRepAlgoAPI_Cut(plate, BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x, 30, 5), gp_Dir(0, 0, 1)), 2.1, 20).Shape()).Shape();
        lid = BRepAlgoAPI_Cut(lid, BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x, 30, 10), gp_Dir(0, 0, 1)), 2.75, 20).Shape()).Shape();
    }
    TopoDS_Shape screw = BRepAlgoAPI_Fuse(BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(0, 0, 8), gp_Dir(0, 0, 1)), 2.5, 17).Shape(),
                                          BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(0, 0, 25), gp_Dir(0, 0, 1)), 4.25, 5).Shape()).Shape();
    TDF_Label lids = all.assembly("lid assembly"), screws = all.part(screw, "M5 screw");
    all.put(all.root, all.part(plate, "plate"), at(0, 0, 0), "plate");
    all.put(lids, all.part(lid, "lid"), at(0, 0, 0), "lid");
    all.put(lids, screws, at(20, 30, 0), "screw_1");
    all.put(lids, screws, at(80, 30, 0), "screw_2");
    all.put(all.root, lids, at(0, 0, 0), "lid assembly");
    all.put(all.root, all.part(BRepPrimAPI_MakeBox(gp_Pnt(200, 0, 0), gp_Pnt(210, 20, 30)).Shape(), "block"), at(0, 0, 0), "block");
    return all.write(folder + "/cover.step");
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    std::string folder = argv[1];
    TopoDS_Shape block = BRepPrimAPI_MakeBox(gp_Pnt(10, 20, 30), gp_Pnt(110, 70, 50)).Shape();
    bool block_written = BRepTools::Write(block, (folder + "/block.brp").c_str());
    return block_written && four_bar(folder) && rail(folder) && cover(folder) ? 0 : 1;
}
