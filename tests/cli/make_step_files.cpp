// Writes the STEP files of the tests: a four-bar with modelled pins, a slider in a tube, a cover with screws, a slider-crank
// whose cover is held by four screws in a nested sub-assembly, a ball in a socket, a hinge; and a block as BREP.
//     make_step_files FOLDER
#include <BRepAlgoAPI_Cut.hxx>
#include <BRepAlgoAPI_Fuse.hxx>
#include <BRepBuilderAPI_NurbsConvert.hxx>
#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <BRepPrimAPI_MakeSphere.hxx>
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
    // prefix: of the names of files, one for each part, that the file refers to; null: all parts are in the file.
    bool write(const std::string &path, const char *prefix = nullptr)
    {
        tool->UpdateAssemblies();
        STEPCAFControl_Writer writer;
        return writer.Transfer(document, STEPControl_AsIs, prefix) && writer.Write(path.c_str()) == IFSelect_RetDone;
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
bool rail(const std::string &path, const char *prefix)
{
    Assembly all("rail");
    TopoDS_Shape tube = BRepAlgoAPI_Cut(BRepPrimAPI_MakeBox(gp_Pnt(0, -20, -20), gp_Pnt(200, 20, 20)).Shape(),
                                        BRepPrimAPI_MakeBox(gp_Pnt(-1, -10, -10), gp_Pnt(201, 10, 10)).Shape()).Shape();
    TDF_Label guide = all.part(tube, "tube"), slider = all.part(BRepPrimAPI_MakeBox(gp_Pnt(0, -10, -10), gp_Pnt(60, 10, 10))
                                                                .Shape(), "slider");
    all.put(all.root, guide, at(0, 0, 0), "tube");
    all.put(all.root, slider, at(50, 0, 0), "slider");
    return all.write(path, prefix);
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

TopoDS_Shape box(double x0, double x1, double y0, double y1, double z0, double z1)
{
    return BRepPrimAPI_MakeBox(gp_Pnt(x0, y0, z0), gp_Pnt(x1, y1, z1)).Shape();
}

TopoDS_Shape post(double x, double y, double radius, double z0, double z1)
{
    return BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x, y, z0), gp_Dir(0, 0, 1)), radius, z1 - z0).Shape();
}

TopoDS_Shape fuse(const TopoDS_Shape &a, const TopoDS_Shape &b)
{
    return BRepAlgoAPI_Fuse(a, b).Shape();
}

TopoDS_Shape cut(const TopoDS_Shape &a, const TopoDS_Shape &b)
{
    return BRepAlgoAPI_Cut(a, b).Shape();
}

// Plate with a bearing at the origin and a channel along x; its cover is a part of its own.
void make_housing(TopoDS_Shape &frame, TopoDS_Shape &lid)
{
    frame = cut(box(-50, 200, -40, 40, 0, 10), post(0, 0, 8 + PLAY, -1, 11));
    frame = fuse(frame, box(80, 190, 20, 32, 10, 24));
    frame = fuse(frame, box(80, 190, -32, -20, 10, 24));
    lid = cut(box(80, 190, -32, 32, 24, 29), box(84, 182, -8, 8, 23, 30));
    for (double x : { 88.0, 184.0 })
        for (double y : { -26.0, 26.0 }) {
            frame = cut(frame, post(x, y, 2.1, 8, 25));
            lid = cut(lid, post(x, y, 2.75, 23, 30));
        }
}

// Crank 25 mm, rod 130 mm, crank angle 0.8 rad. nested: what moves is a sub-assembly, too.
bool slider_crank(const std::string &path, bool nested)
{
    const double r = 25, l = 130, phi = 0.8, px = r * std::cos(phi), py = r * std::sin(phi);
    const double slope = -std::asin(py / l), x = px + l * std::cos(slope);
    Assembly all("slider crank");
    TopoDS_Shape frame, lid;
    make_housing(frame, lid);
    TopoDS_Shape crank = fuse(fuse(post(0, 0, 8, 0, 10), post(0, 0, 35, 10, 34)), fuse(post(0, 0, 12, -5, 0), post(r, 0, 6, 34, 42)));
    TopoDS_Shape rod = box(-12, l + 12, -10, 10, 34, 42);
    rod = cut(cut(rod, post(0, 0, 6 + PLAY, 33, 43)), post(l, 0, 6 + PLAY, 33, 43));
    TopoDS_Shape piston = fuse(box(-20, 20, -20, 20, 10, 24), fuse(post(0, 0, 7.5, 24, 34), post(0, 0, 6, 34, 42)));
    TopoDS_Shape screw = fuse(post(0, 0, 2.5, 14, 29), post(0, 0, 4.25, 29, 34));
    TDF_Label housing = all.assembly("housing assembly"), cover = all.assembly("cover assembly");
    TDF_Label screws = all.part(screw, "ISO 4762 M5x20"), moving = nested ? all.assembly("running gear") : all.root;
    all.put(housing, all.part(frame, "housing"), at(0, 0, 0), "housing");
    all.put(cover, all.part(lid, "cover"), at(0, 0, 0), "cover");
    int number = 1;
    for (double sx : { 88.0, 184.0 })
        for (double sy : { -26.0, 26.0 })
            all.put(cover, screws, at(sx, sy, 0), ("screw_" + std::to_string(number++)).c_str());
    all.put(housing, cover, at(0, 0, 0), "cover assembly");
    all.put(all.root, housing, at(0, 0, 0), "housing assembly");
    all.put(moving, all.part(crank, "crank"), at(0, 0, 0, phi), "crank");
    all.put(moving, all.part(rod, "rod"), at(px, py, 0, slope), "rod");
    all.put(moving, all.part(piston, "piston"), at(x, 0, 0), "piston");
    if (nested)
        all.put(all.root, moving, at(0, 0, 0), "running gear");
    return all.write(path);
}

// A lever with a ball at its end in the socket of a block.
bool ball(const std::string &folder)
{
    Assembly all("ball");
    TopoDS_Shape socket = cut(box(-30, 30, -30, 30, -30, 12), BRepPrimAPI_MakeSphere(gp_Pnt(0, 0, 0), 20 + PLAY).Shape());
    TopoDS_Shape lever = fuse(BRepPrimAPI_MakeSphere(gp_Pnt(0, 0, 0), 20).Shape(), post(0, 0, 8, 10, 120));
    all.put(all.root, all.part(socket, "socket"), at(0, 0, 0), "socket");
    all.put(all.root, all.part(lever, "lever"), at(0, 0, 0), "lever");
    return all.write(folder + "/ball.step");
}

// Two leaves with knuckles on a pin: the middle knuckle belongs to the door.
bool hinge(const std::string &path, bool splines)
{
    Assembly all("hinge");
    auto leaf = [](double side, std::initializer_list<std::pair<double, double>> knuckles) {
        TopoDS_Shape solid = side > 0 ? box(6, 40, -2, 2, 0, 60) : box(-60, -6, -3, 3, 0, 60);
        for (auto [low, high] : knuckles)
            solid = fuse(solid, fuse(post(0, 0, 7, low, high), side > 0 ? box(0, 8, -2, 2, low, high) : box(-8, 0, -3, 3, low, high)));
        return cut(solid, post(0, 0, 3 + PLAY, -1, 61));
    };
    auto written = [splines](const TopoDS_Shape &solid) {       // many systems write all faces as splines
        return splines ? BRepBuilderAPI_NurbsConvert(solid, Standard_True).Shape() : solid;
    };
    TopoDS_Shape frame = leaf(-1, { { 0, 20 }, { 40, 60 } }), door = leaf(1, { { 20, 40 } });
    all.put(all.root, all.part(written(frame), "frame leaf"), at(0, 0, 0), "frame leaf");
    all.put(all.root, all.part(written(door), "door leaf"), at(0, 0, 0), "door leaf");
    all.put(all.root, all.part(written(fuse(post(0, 0, 3, 0, 62), post(0, 0, 5, 60, 64))), "pin"), at(0, 0, 0), "pin");
    return all.write(path);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    std::string folder = argv[1];
    TopoDS_Shape block = BRepPrimAPI_MakeBox(gp_Pnt(10, 20, 30), gp_Pnt(110, 70, 50)).Shape();
    bool block_written = BRepTools::Write(block, (folder + "/block.brp").c_str());
    return block_written && four_bar(folder) && rail(folder + "/rail.step", nullptr) &&
           rail(folder + "/parted-rail.step", "rail_") && cover(folder) && ball(folder) &&
           hinge(folder + "/hinge.step", false) && hinge(folder + "/spline-hinge.step", true) &&
           slider_crank(folder + "/slider-crank.step", false) && slider_crank(folder + "/nested-crank.step", true) ? 0 : 1;
}
