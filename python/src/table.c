/* Tables of numbers with the buffer protocol: NumPy arrays share their memory. */
#include "binding.h"
#include <string.h>

/* ---- tables: memory with the buffer protocol ---- */

PyObject *table_new(state *st, Py_ssize_t rows, Py_ssize_t columns)
{
    table_object *t = new_object(st->table);
    if (t == NULL)
        return NULL;
    t->shape[0] = rows;
    t->shape[1] = columns;
    t->strides[0] = columns * (Py_ssize_t)sizeof(double);
    t->strides[1] = (Py_ssize_t)sizeof(double);
    t->values = PyMem_Calloc((size_t)(rows * columns) + 1, sizeof(double));
    if (t->values == NULL) {
        Py_DECREF(t);
        return PyErr_NoMemory();
    }
    return (PyObject *)t;
}

PyObject *table_copy(state *st, const double *values, size_t rows, size_t columns)
{
    PyObject *t = table_new(st, (Py_ssize_t)rows, (Py_ssize_t)columns);
    if (t != NULL && values != NULL && rows * columns > 0)
        memcpy(((table_object *)t)->values, values, rows * columns * sizeof(double));
    return t;
}

void table_dealloc(PyObject *self)
{
    PyMem_Free(((table_object *)self)->values);
    free_object(self);
}

double *take_doubles(PyObject *object, Py_buffer *view, Py_ssize_t count, int writable)
{
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)) < 0)
        return NULL;
    if (view->format != NULL && strcmp(view->format, "d") == 0 && view->len == count * (Py_ssize_t)sizeof(double))
        return view->buf;
    PyBuffer_Release(view);
    PyErr_Format(PyExc_ValueError, "%zd numbers of type float64 are needed", count);
    return NULL;
}

int table_buffer(PyObject *self, Py_buffer *view, int flags)
{
    table_object *t = (table_object *)self;
    (void)flags;                       /* the memory is contiguous and writable: every request can be met */
    *view = (Py_buffer){ .buf = t->values, .obj = Py_NewRef(self), .len = t->shape[0] * t->strides[0], .readonly = 0,
                         .itemsize = sizeof(double), .format = "d", .ndim = 2, .shape = t->shape,
                         .strides = t->strides };
    return 0;
}

