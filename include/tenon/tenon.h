/* Tenon: multibody dynamics of mechanisms that may change while they run. Includes the whole public interface. */
#ifndef TENON_H
#define TENON_H

#include "version.h"
#include "context.h"
#include "model.h"
#include "devices.h"
#include "groups.h"
#include "team.h"
#include "session.h"
#include "inputs.h"
#include "runner.h"
#include "history.h"
#include "results.h"
#include "analysis.h"
#include "compile.h"
#include "library.h"
#include "serve.h"
#include "import.h"

#endif
