/* The formats of meshes, one line each: TN_MESH(name) stands for mesh_NAME.c and its tn_mesh_NAME. */
TN_MESH(stl)
TN_MESH(obj)
TN_MESH(dae)
TN_MESH(ply)
TN_MESH(gltf)
