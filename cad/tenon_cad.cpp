// tenon-cad: what "tenon import" asks of solid geometry. A process of its own, so that nothing it does can harm the program.
//
//     tenon-cad step FILE FOLDER       tree of a STEP file
//     tenon-cad brep FOLDER COUNT      shapes FOLDER/0.brp (or .bin) ... FOLDER/(COUNT - 1).brp
//
// Writes lines of text to standard output, lengths in m:
//     occurrence INDEX PARENT PART  P(3) R(9, by rows)  NAME     PARENT -1: none; PART -1: an assembly
//     part INDEX VOLUME COM(3) INERTIA(6: xx yy zz xy xz yz about COM for density 1) DENSITY SOLIDS NAME
//     face PART KIND POINT(3) AXIS(3) RADIUS LOW HIGH WRAP AREA INNER BOX(6)
//     end
// and FOLDER/INDEX.stl for every part with a surface. KIND: plane, cylinder, sphere. LOW and HIGH: extent along the axis from
// POINT; WRAP: rad. Exit status 0 and "end" as the last line mean that all went well.
#include <BRepAdaptor_Surface.hxx>
#include <BRepBndLib.hxx>
#include <BRepGProp.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRepTools.hxx>
#include <BRep_Builder.hxx>
#include <BRep_Tool.hxx>
#include <BinTools.hxx>
#include <Bnd_Box.hxx>
#include <GProp_GProps.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <OSD.hxx>
#include <Poly_Triangulation.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <Standard_Failure.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDF_Tool.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Face.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_MaterialTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

const double MM = 1e-3;
const int DEEPEST = 100;

struct Options {
    std::string folder;
};

// One line, without control characters.
std::string clean(const TCollection_ExtendedString &text)
{
    std::vector<char> buffer(static_cast<size_t>(text.LengthOfCString()) + 1);
    Standard_PCharacter out = buffer.data();
    text.ToUTF8CString(out);
    std::string name(buffer.data());
    for (char &c : name)
        if (static_cast<unsigned char>(c) < 32)
            c = ' ';
    return name;
}

std::string name_of(const TDF_Label &label)
{
    Handle(TDataStd_Name) name;
    return label.FindAttribute(TDataStd_Name::GetID(), name) ? clean(name->Get()) : std::string();
}

// A binary STL in m.
bool write_mesh(const TopoDS_Shape &shape, const std::string &path)
{
    std::vector<float> corners;
    for (TopExp_Explorer e(shape, TopAbs_FACE); e.More(); e.Next()) {
        const TopoDS_Face &face = TopoDS::Face(e.Current());
        TopLoc_Location place;
        Handle(Poly_Triangulation) mesh = BRep_Tool::Triangulation(face, place);
        if (mesh.IsNull())
            continue;
        for (int i = 1; i <= mesh->NbTriangles(); i++) {
            int n[3];
            mesh->Triangle(i).Get(n[0], n[1], n[2]);
            if (face.Orientation() == TopAbs_REVERSED)
                std::swap(n[1], n[2]);
            for (int k : n) {
                gp_Pnt p = mesh->Node(k).Transformed(place.Transformation());
                corners.push_back(static_cast<float>(MM * p.X()));
                corners.push_back(static_cast<float>(MM * p.Y()));
                corners.push_back(static_cast<float>(MM * p.Z()));
            }
        }
    }
    if (corners.empty())
        return false;
    FILE *file = std::fopen(path.c_str(), "wb");
    if (!file)
        return false;
    char head[80] = "tenon-cad";
    std::uint32_t count = static_cast<std::uint32_t>(corners.size() / 9);
    std::fwrite(head, 1, sizeof head, file);
    std::fwrite(&count, sizeof count, 1, file);
    for (std::uint32_t i = 0; i < count; i++) {
        const float normal[3] = { 0, 0, 0 };
        const std::uint16_t none = 0;
        std::fwrite(normal, sizeof normal, 1, file);
        std::fwrite(&corners[9 * i], sizeof(float), 9, file);
        std::fwrite(&none, sizeof none, 1, file);
    }
    return std::fclose(file) == 0;
}

void print_point(const gp_XYZ &p, double scale)
{
    std::printf(" %.17g %.17g %.17g", scale * p.X(), scale * p.Y(), scale * p.Z());
}

void print_face(int part, const TopoDS_Face &face)
{
    BRepAdaptor_Surface surface(face);
    GProp_GProps area;
    Bnd_Box box;
    gp_XYZ point, axis;
    double radius = 0, low = 0, high = 0, wrap = 0;
    const char *kind = nullptr;
    bool reversed = face.Orientation() == TopAbs_REVERSED, inner = false;
    if (surface.GetType() == GeomAbs_Plane) {
        gp_Pln plane = surface.Plane();
        kind = "plane";
        point = plane.Location().XYZ();
        axis = plane.Axis().Direction().XYZ();
        if (!plane.Direct())
            axis.Reverse();
        if (reversed)
            axis.Reverse();                    // out of the material
    } else if (surface.GetType() == GeomAbs_Cylinder) {
        gp_Cylinder cylinder = surface.Cylinder();
        kind = "cylinder";
        point = cylinder.Location().XYZ();
        axis = cylinder.Axis().Direction().XYZ();
        radius = cylinder.Radius();
        low = surface.FirstVParameter();
        high = surface.LastVParameter();
        wrap = surface.LastUParameter() - surface.FirstUParameter();
        inner = reversed != !cylinder.Direct();
    } else if (surface.GetType() == GeomAbs_Sphere) {
        gp_Sphere sphere = surface.Sphere();
        kind = "sphere";
        point = sphere.Location().XYZ();
        axis = sphere.Position().Direction().XYZ();
        radius = sphere.Radius();
        wrap = surface.LastUParameter() - surface.FirstUParameter();
        inner = reversed != !sphere.Direct();
    }
    if (!kind)
        return;
    BRepGProp::SurfaceProperties(face, area);
    if (surface.GetType() == GeomAbs_Plane)
        point = area.CentreOfMass().XYZ();
    BRepBndLib::Add(face, box);
    double b[6] = { 0, 0, 0, 0, 0, 0 };
    if (!box.IsVoid())
        box.Get(b[0], b[1], b[2], b[3], b[4], b[5]);
    std::printf("face %d %s", part, kind);
    print_point(point, MM);
    print_point(axis, 1);
    std::printf(" %.17g %.17g %.17g %.17g %.17g %d", MM * radius, MM * low, MM * high, wrap, MM * MM * std::fabs(area.Mass()),
                inner ? 1 : 0);
    for (double v : b)
        std::printf(" %.17g", MM * v);
    std::printf("\n");
}

void print_part(int index, const TopoDS_Shape &shape, double density, const std::string &name, const Options &options)
{
    GProp_GProps properties;
    int solids = 0;
    for (TopExp_Explorer e(shape, TopAbs_SOLID); e.More(); e.Next())
        solids++;
    if (solids > 0)
        BRepGProp::VolumeProperties(shape, properties);
    double volume = solids > 0 ? properties.Mass() : 0;
    gp_Pnt com = solids > 0 && volume > 0 ? properties.CentreOfMass() : gp_Pnt();
    gp_Mat inertia = solids > 0 ? properties.MatrixOfInertia() : gp_Mat();
    double m5 = MM * MM * MM * MM * MM;
    std::printf("part %d %.17g", index, MM * MM * MM * volume);
    print_point(com.XYZ(), MM);
    std::printf(" %.17g %.17g %.17g %.17g %.17g %.17g", m5 * inertia(1, 1), m5 * inertia(2, 2), m5 * inertia(3, 3),
                m5 * inertia(1, 2), m5 * inertia(1, 3), m5 * inertia(2, 3));
    std::printf(" %.17g %d %s\n", density, solids, name.c_str());
    Bnd_Box box;
    BRepBndLib::Add(shape, box);
    if (box.IsVoid())
        return;
    double size = std::sqrt(box.SquareExtent());
    BRepMesh_IncrementalMesh(shape, std::max(size * 1e-3, 1e-3), Standard_False, 0.4, Standard_True);
    write_mesh(shape, options.folder + "/" + std::to_string(index) + ".stl");
    for (TopExp_Explorer e(shape, TopAbs_FACE); e.More(); e.Next())
        print_face(index, TopoDS::Face(e.Current()));
    std::fflush(stdout);
}

// The tree of a STEP file.
class Tree {
public:
    Tree(const Handle(XCAFDoc_ShapeTool) &tool, const Options &given) : shapes(tool), options(given) {}

    void print(const TDF_Label &label, const TopLoc_Location &place, int parent, const std::string &name, int depth)
    {
        TDF_Label target = label;
        if (XCAFDoc_ShapeTool::IsReference(label))
            XCAFDoc_ShapeTool::GetReferredShape(label, target);
        std::string own = name.empty() || name.rfind("NAUO", 0) == 0 ? name_of(target) : name;
        bool assembly = XCAFDoc_ShapeTool::IsAssembly(target) && !is_one_part(target);
        int part = assembly ? -1 : part_of(target, own);
        int index = count++;
        gp_Trsf t = place.Transformation();
        std::printf("occurrence %d %d %d", index, parent, part);
        print_point(t.TranslationPart(), MM);
        gp_Mat m = t.HVectorialPart();
        for (int i = 1; i <= 3; i++)
            for (int k = 1; k <= 3; k++)
                std::printf(" %.17g", m(i, k));
        std::printf(" %s\n", own.c_str());
        if (!assembly || depth > DEEPEST)
            return;
        TDF_LabelSequence children;
        XCAFDoc_ShapeTool::GetComponents(target, children);
        for (int i = 1; i <= children.Length(); i++) {
            const TDF_Label &child = children.Value(i);
            print(child, place * XCAFDoc_ShapeTool::GetLocation(child), index, name_of(child), depth + 1);
        }
    }

private:
    // An "assembly" whose children are all leaves without names is one part in several bodies.
    bool is_one_part(const TDF_Label &label)
    {
        TDF_LabelSequence children;
        XCAFDoc_ShapeTool::GetComponents(label, children);
        for (int i = 1; i <= children.Length(); i++) {
            TDF_Label target = children.Value(i);
            XCAFDoc_ShapeTool::GetReferredShape(children.Value(i), target);
            std::string name = name_of(target);
            bool nameless = name.empty() || name == "SOLID" || name == "SHELL" || name == "COMPOUND" || name == "OPEN_SHELL";
            if (XCAFDoc_ShapeTool::IsAssembly(target) || !nameless)
                return false;
        }
        return children.Length() > 0;
    }

    int part_of(const TDF_Label &label, const std::string &name)
    {
        TCollection_AsciiString entry;
        TDF_Tool::Entry(label, entry);
        auto found = parts.find(entry.ToCString());
        if (found != parts.end())
            return found->second;
        int index = static_cast<int>(parts.size());
        parts[entry.ToCString()] = index;
        std::string own = name_of(label);
        print_part(index, XCAFDoc_ShapeTool::GetShape(label), XCAFDoc_MaterialTool::GetDensityForShape(label),
                   own.empty() ? name : own, options);
        return index;
    }

    Handle(XCAFDoc_ShapeTool) shapes;
    const Options &options;
    std::map<std::string, int> parts;
    int count = 0;
};

int read_step(const char *path, const Options &options)
{
    Handle(TDocStd_Document) document = new TDocStd_Document("tenon");
    STEPCAFControl_Reader reader;
    reader.SetNameMode(true);
    reader.SetMatMode(true);
    if (reader.ReadFile(path) != IFSelect_RetDone) {
        std::fprintf(stderr, "the file is no readable STEP file\n");
        return 2;
    }
    if (!reader.Transfer(document)) {
        std::fprintf(stderr, "there is no shape in the file\n");
        return 2;
    }
    Handle(XCAFDoc_ShapeTool) shapes = XCAFDoc_DocumentTool::ShapeTool(document->Main());
    TDF_LabelSequence roots;
    shapes->GetFreeShapes(roots);
    Tree tree(shapes, options);
    for (int i = 1; i <= roots.Length(); i++)
        tree.print(roots.Value(i), TopLoc_Location(), -1, name_of(roots.Value(i)), 0);
    return 0;
}

int read_breps(int count, const Options &options)
{
    for (int i = 0; i < count; i++) {
        TopoDS_Shape shape;
        BRep_Builder builder;
        std::string path = options.folder + "/" + std::to_string(i) + ".brp";
        bool read = BRepTools::Read(shape, path.c_str(), builder) ||
                    BinTools::Read(shape, (options.folder + "/" + std::to_string(i) + ".bin").c_str());
        if (read && !shape.IsNull())
            print_part(i, shape.Located(TopLoc_Location()), 0, "", options);
        else
            std::fprintf(stderr, "shape %d is not readable\n", i);
    }
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    OSD::SetSignal(Standard_False);
    Message::DefaultMessenger()->RemovePrinters(STANDARD_TYPE(Message_Printer));
    try {
        int status = 2;
        if (argc == 4 && std::strcmp(argv[1], "step") == 0)
            status = read_step(argv[2], Options{ argv[3] });
        else if (argc == 4 && std::strcmp(argv[1], "brep") == 0)
            status = read_breps(std::atoi(argv[3]), Options{ argv[2] });
        else
            std::fprintf(stderr, "usage: tenon-cad step FILE FOLDER | brep FOLDER COUNT\n");
        if (status == 0)
            std::printf("end\n");
        return status;
    } catch (const Standard_Failure &failure) {
        std::fprintf(stderr, "%s\n", failure.GetMessageString());
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "%s\n", failure.what());
    }
    return 3;
}
