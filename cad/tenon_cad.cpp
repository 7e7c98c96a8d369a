// tenon-cad: what "tenon import" asks of solid geometry. A process of its own, so that nothing it does can harm the program.
//
//     tenon-cad step FILE FOLDER       tree of a STEP file
//     tenon-cad brep FOLDER COUNT      shapes FOLDER/0.brp (or .bin) ... FOLDER/(COUNT - 1).brp
//
// Writes lines of text to standard output, lengths in m:
//     occurrence INDEX PARENT PART  P(3) R(9, by rows)  NAME     PARENT -1: none; PART -1: an assembly
//     part INDEX VOLUME COM(3) INERTIA(6: xx yy zz xy xz yz about COM for density 1) DENSITY SOLIDS NAME
//     missing NAME             a file that the STEP file refers to and that cannot be read
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
#include <Precision.hxx>
#include <STEPCAFControl_ExternFile.hxx>
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
#include <math_Gauss.hxx>
#include <math_Jacobi.hxx>
#include <math_Matrix.hxx>
#include <math_Vector.hxx>
#include <algorithm>
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

// A face as what it is: plane, cylinder or sphere; kind null: something else. Lengths in mm.
struct Face {
    const char *kind = nullptr;
    gp_XYZ point, axis;
    double radius = 0, low = 0, high = 0, wrap = 0;
    bool inner = false;
};

const int SAMPLES = 11;                        // in each direction of a free-form surface
const double FLAT = 1e-4;                      // sine of the angle by which normals of a plane may differ
const double ROUND = 0.015;                    // deviation from a circle or sphere, of its radius
const double ACROSS = 0.01;                    // sine of the angle by which normals of a cylinder may lean

// Points of a free-form face and normals out of the material.
struct Samples {
    std::vector<gp_XYZ> points, normals;
};

Samples take_samples(const BRepAdaptor_Surface &surface, bool reversed)
{
    Samples s;
    double u0 = surface.FirstUParameter(), u1 = surface.LastUParameter(), v0 = surface.FirstVParameter(), v1 = surface.LastVParameter();
    if (Precision::IsInfinite(u0) || Precision::IsInfinite(u1) || Precision::IsInfinite(v0) || Precision::IsInfinite(v1))
        return s;
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        gp_Pnt p;
        gp_Vec du, dv;
        surface.D1(u0 + (u1 - u0) * (i / SAMPLES) / (SAMPLES - 1), v0 + (v1 - v0) * (i % SAMPLES) / (SAMPLES - 1), p, du, dv);
        gp_XYZ normal = du.XYZ().Crossed(dv.XYZ());
        if (normal.Modulus() < 1e-12)
            continue;                          // a pole
        normal.Normalize();
        s.points.push_back(p.XYZ());
        s.normals.push_back(reversed ? normal.Reversed() : normal);
    }
    return s;
}

// The direction that normals have least of, and how much they have of it and of the next.
gp_XYZ least_direction(const std::vector<gp_XYZ> &normals, double &least, double &next)
{
    math_Matrix sums(1, 3, 1, 3, 0.0);
    for (const gp_XYZ &n : normals)
        for (int i = 1; i <= 3; i++)
            for (int k = 1; k <= 3; k++)
                sums(i, k) += n.Coord(i) * n.Coord(k) / static_cast<double>(normals.size());
    math_Jacobi jacobi(sums);
    int order[3] = { 1, 2, 3 };
    std::sort(order, order + 3, [&](int i, int k) { return jacobi.Value(i) < jacobi.Value(k); });
    math_Vector v(1, 3);
    jacobi.Vector(order[0], v);
    least = jacobi.Value(order[0]);
    next = jacobi.Value(order[1]);
    return gp_XYZ(v(1), v(2), v(3)).Normalized();
}

// Least squares for 2 p . c + (r^2 - c . c) = p . p over the first n coordinates: centre and radius of a circle or sphere.
bool fit_round(const std::vector<gp_XYZ> &points, int n, gp_XYZ &centre, double &radius)
{
    math_Matrix A(1, n + 1, 1, n + 1, 0.0);
    math_Vector b(1, n + 1, 0.0), x(1, n + 1);
    for (const gp_XYZ &p : points) {
        double row[4] = { 0, 0, 0, 0 }, square = 0;
        for (int k = 0; k < n; k++) {
            row[k] = 2 * p.Coord(k + 1);
            square += p.Coord(k + 1) * p.Coord(k + 1);
        }
        row[n] = 1;
        for (int i = 0; i <= n; i++) {
            b(i + 1) += row[i] * square;
            for (int k = 0; k <= n; k++)
                A(i + 1, k + 1) += row[i] * row[k];
        }
    }
    math_Gauss gauss(A);
    if (!gauss.IsDone())
        return false;
    gauss.Solve(b, x);
    centre = gp_XYZ(x(1), x(2), n == 3 ? x(3) : 0);
    double square = x(n + 1) + centre.Dot(centre);
    radius = square > 0 ? std::sqrt(square) : 0;
    for (const gp_XYZ &p : points) {
        gp_XYZ d = p - centre;
        if (n == 2)
            d.SetZ(0);
        if (std::fabs(d.Modulus() - radius) > ROUND * radius)
            return false;
    }
    return radius > 0;
}

// How far round angles go: everything but the largest gap between them.
double wrap_of(std::vector<double> angles)
{
    std::sort(angles.begin(), angles.end());
    double gap = angles.front() + 2 * M_PI - angles.back();
    for (size_t i = 1; i < angles.size(); i++)
        gap = std::max(gap, angles[i] - angles[i - 1]);
    return gap < 4 * M_PI / SAMPLES ? 2 * M_PI : 2 * M_PI - gap;
}

Face as_cylinder(const Samples &s, const gp_XYZ &axis)
{
    Face f;
    gp_Ax2 frame(gp_Pnt(0, 0, 0), gp_Dir(axis));
    std::vector<gp_XYZ> flat;
    std::vector<double> angles;
    gp_XYZ x = frame.XDirection().XYZ(), y = frame.YDirection().XYZ(), centre;
    for (const gp_XYZ &p : s.points)
        flat.push_back(gp_XYZ(p.Dot(x), p.Dot(y), p.Dot(axis)));
    if (!fit_round(flat, 2, centre, f.radius))
        return f;
    f.low = f.high = flat[0].Z();
    double outwards = 0;
    for (size_t i = 0; i < flat.size(); i++) {
        gp_XYZ d = flat[i] - centre;
        f.low = std::min(f.low, flat[i].Z());
        f.high = std::max(f.high, flat[i].Z());
        angles.push_back(std::atan2(d.Y(), d.X()));
        outwards += s.normals[i].Dot(x) * d.X() + s.normals[i].Dot(y) * d.Y();
    }
    f.kind = "cylinder";
    f.point = x * centre.X() + y * centre.Y();
    f.axis = axis;
    f.wrap = wrap_of(angles);
    f.inner = outwards < 0;
    return f;
}

// What a free-form face is, where it is one of the simple ones: many systems write all faces as splines.
Face recognise(const BRepAdaptor_Surface &surface, bool reversed)
{
    Face f;
    Samples s = take_samples(surface, reversed);
    if (s.points.size() < 3 * SAMPLES)
        return f;
    double least, next;
    gp_XYZ axis = least_direction(s.normals, least, next), centre;
    if (next < FLAT * FLAT) {
        f.kind = "plane";
        f.axis = s.normals[s.normals.size() / 2];
        return f;
    }
    if (least < ACROSS * ACROSS)
        return as_cylinder(s, axis);
    if (!fit_round(s.points, 3, centre, f.radius))
        return f;
    double outwards = 0, size = 0;
    for (size_t i = 0; i < s.points.size(); i++) {
        outwards += s.normals[i].Dot(s.points[i] - centre);
        size += f.radius;
    }
    if (std::fabs(outwards) < (1 - ROUND) * size)
        return f;                              // points of a sphere, normals of something else
    f.kind = "sphere";
    f.point = centre;
    f.axis = axis;
    f.wrap = 2 * M_PI;
    f.inner = outwards < 0;
    return f;
}

Face plain_face(const BRepAdaptor_Surface &surface, bool reversed)
{
    Face f;
    if (surface.GetType() == GeomAbs_Plane) {
        gp_Pln plane = surface.Plane();
        f.kind = "plane";
        f.axis = plane.Axis().Direction().XYZ();
        if (!plane.Direct())
            f.axis.Reverse();
        if (reversed)
            f.axis.Reverse();                  // out of the material
    } else if (surface.GetType() == GeomAbs_Cylinder) {
        gp_Cylinder cylinder = surface.Cylinder();
        f.kind = "cylinder";
        f.point = cylinder.Location().XYZ();
        f.axis = cylinder.Axis().Direction().XYZ();
        f.radius = cylinder.Radius();
        f.low = surface.FirstVParameter();
        f.high = surface.LastVParameter();
        f.wrap = surface.LastUParameter() - surface.FirstUParameter();
        f.inner = reversed != !cylinder.Direct();
    } else if (surface.GetType() == GeomAbs_Sphere) {
        gp_Sphere sphere = surface.Sphere();
        f.kind = "sphere";
        f.point = sphere.Location().XYZ();
        f.axis = sphere.Position().Direction().XYZ();
        f.radius = sphere.Radius();
        f.wrap = surface.LastUParameter() - surface.FirstUParameter();
        f.inner = reversed != !sphere.Direct();
    }
    return f;
}

void print_face(int part, const TopoDS_Face &face)
{
    BRepAdaptor_Surface surface(face);
    GProp_GProps area;
    Bnd_Box box;
    bool reversed = face.Orientation() == TopAbs_REVERSED;
    bool free_form = surface.GetType() == GeomAbs_BSplineSurface || surface.GetType() == GeomAbs_BezierSurface ||
                     surface.GetType() == GeomAbs_SurfaceOfExtrusion || surface.GetType() == GeomAbs_SurfaceOfRevolution;
    Face f = free_form ? recognise(surface, reversed) : plain_face(surface, reversed);
    if (!f.kind)
        return;
    BRepGProp::SurfaceProperties(face, area);
    if (std::strcmp(f.kind, "plane") == 0)
        f.point = area.CentreOfMass().XYZ();
    BRepBndLib::Add(face, box);
    double b[6] = { 0, 0, 0, 0, 0, 0 };
    if (!box.IsVoid())
        box.Get(b[0], b[1], b[2], b[3], b[4], b[5]);
    std::printf("face %d %s", part, f.kind);
    print_point(f.point, MM);
    print_point(f.axis, 1);
    std::printf(" %.17g %.17g %.17g %.17g %.17g %d", MM * f.radius, MM * f.low, MM * f.high, f.wrap, MM * MM * std::fabs(area.Mass()),
                f.inner ? 1 : 0);
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
    for (NCollection_DataMap<TCollection_AsciiString, Handle(STEPCAFControl_ExternFile)>::Iterator it(reader.ExternFiles()); it.More();
         it.Next())
        if (it.Value()->GetLoadStatus() != IFSelect_RetDone || !it.Value()->GetTransferStatus())
            std::printf("missing %s\n", clean(TCollection_ExtendedString(it.Key(), true)).c_str());
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
