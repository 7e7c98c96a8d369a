/* The functions of FMI 3.0 for what these FMUs do not have: types other than Float64, dependencies that change, structural
 * parameters, clocks, scheduled execution. */
#include "fmi3.h"

typedef const uint8_t *binary;

EXPORT fmu_status fmi3GetBinary(instance c, const reference vr[], size_t n, size_t sizes[], binary value[], size_t count);
EXPORT fmu_status fmi3SetBinary(instance c, const reference vr[], size_t n, const size_t sizes[], const binary value[], size_t count);
EXPORT fmu_status fmi3GetClock(instance c, const reference vr[], size_t n, bool value[]);
EXPORT fmu_status fmi3SetClock(instance c, const reference vr[], size_t n, const bool value[]);
EXPORT fmu_status fmi3GetNumberOfVariableDependencies(instance c, reference vr, size_t *count);
EXPORT fmu_status fmi3GetVariableDependencies(instance c, reference vr, size_t dependent[], reference independent[],
                                       size_t elements[], int kinds[], size_t count);
EXPORT fmu_status fmi3EnterConfigurationMode(instance c);
EXPORT fmu_status fmi3ExitConfigurationMode(instance c);
EXPORT fmu_status fmi3GetIntervalDecimal(instance c, const reference vr[], size_t n, double interval[], int qualifier[]);
EXPORT fmu_status fmi3GetIntervalFraction(instance c, const reference vr[], size_t n, uint64_t counter[], uint64_t resolution[],
                                   int qualifier[]);
EXPORT fmu_status fmi3GetShiftDecimal(instance c, const reference vr[], size_t n, double shift[]);
EXPORT fmu_status fmi3GetShiftFraction(instance c, const reference vr[], size_t n, uint64_t counter[], uint64_t resolution[]);
EXPORT fmu_status fmi3SetIntervalDecimal(instance c, const reference vr[], size_t n, const double interval[]);
EXPORT fmu_status fmi3SetIntervalFraction(instance c, const reference vr[], size_t n, const uint64_t counter[],
                                   const uint64_t resolution[]);
EXPORT fmu_status fmi3SetShiftDecimal(instance c, const reference vr[], size_t n, const double shift[]);
EXPORT fmu_status fmi3SetShiftFraction(instance c, const reference vr[], size_t n, const uint64_t counter[],
                                const uint64_t resolution[]);
EXPORT fmu_status fmi3ActivateModelPartition(instance c, reference clock, double time);
EXPORT instance fmi3InstantiateScheduledExecution(text name, text token, text resource, bool visible, bool logging,
                                                  void *environment, log_message log, void (*clock)(void *),
                                                  void (*lock)(void), void (*unlock)(void));

fmu_status fmi3_not_offered(instance c, const char *what)
{
    return c ? fmu_say(c, FMU_ERROR, "logStatusError", "this FMU has no %s", what) : FMU_ERROR;
}

/* ---- other types ---- */

static fmu_status only_floats(instance c, size_t n)
{
    MAY(ANY);
    return n == 0 ? FMU_OK : fmu_say(c, FMU_ERROR, "logStatusError", "all variables are of type Float64");
}

/* The other types of the standard: no variable has one. */
#define TYPE(Name, type) \
    EXPORT fmu_status fmi3Get##Name(instance c, const reference vr[], size_t n, type value[], size_t count); \
    EXPORT fmu_status fmi3Set##Name(instance c, const reference vr[], size_t n, const type value[], size_t count); \
    fmu_status fmi3Get##Name(instance c, const reference vr[], size_t n, type value[], size_t count) \
    { \
        (void)vr; \
        (void)value; \
        (void)count; \
        return only_floats(c, n); \
    } \
    fmu_status fmi3Set##Name(instance c, const reference vr[], size_t n, const type value[], size_t count) \
    { \
        (void)vr; \
        (void)value; \
        (void)count; \
        return only_floats(c, n); \
    }
TYPE(Float32, float)
TYPE(Int8, int8_t)
TYPE(UInt8, uint8_t)
TYPE(Int16, int16_t)
TYPE(UInt16, uint16_t)
TYPE(Int32, int32_t)
TYPE(UInt32, uint32_t)
TYPE(Int64, int64_t)
TYPE(UInt64, uint64_t)
TYPE(Boolean, bool)
TYPE(String, text)

fmu_status fmi3GetBinary(instance c, const reference vr[], size_t n, size_t sizes[], binary value[], size_t count)
{
    (void)vr;
    (void)sizes;
    (void)value;
    (void)count;
    return only_floats(c, n);
}

fmu_status fmi3SetBinary(instance c, const reference vr[], size_t n, const size_t sizes[], const binary value[], size_t count)
{
    (void)vr;
    (void)sizes;
    (void)value;
    (void)count;
    return only_floats(c, n);
}

fmu_status fmi3GetClock(instance c, const reference vr[], size_t n, bool value[])
{
    (void)vr;
    (void)value;
    return only_floats(c, n);
}

fmu_status fmi3SetClock(instance c, const reference vr[], size_t n, const bool value[])
{
    (void)vr;
    (void)value;
    return only_floats(c, n);
}

/* ---- dependencies and configuration ---- */

fmu_status fmi3GetNumberOfVariableDependencies(instance c, reference vr, size_t *count)
{
    (void)vr;
    *count = 0;
    return fmi3_not_offered(c, "dependencies that change");
}

fmu_status fmi3GetVariableDependencies(instance c, reference vr, size_t dependent[], reference independent[], size_t elements[],
                                int kinds[], size_t count)
{
    (void)vr;
    (void)dependent;
    (void)independent;
    (void)elements;
    (void)kinds;
    (void)count;
    return fmi3_not_offered(c, "dependencies that change");
}

fmu_status fmi3EnterConfigurationMode(instance c)
{
    return fmi3_not_offered(c, "structural parameters");
}

fmu_status fmi3ExitConfigurationMode(instance c)
{
    return fmi3_not_offered(c, "structural parameters");
}

/* ---- clocks and scheduled execution ---- */

fmu_status fmi3GetIntervalDecimal(instance c, const reference vr[], size_t n, double interval[], int qualifier[])
{
    (void)vr;
    (void)interval;
    (void)qualifier;
    return n == 0 && c ? FMU_OK : fmi3_not_offered(c, "clocks");
}

fmu_status fmi3GetIntervalFraction(instance c, const reference vr[], size_t n, uint64_t counter[], uint64_t resolution[],
                            int qualifier[])
{
    (void)vr;
    (void)counter;
    (void)resolution;
    (void)qualifier;
    return n == 0 && c ? FMU_OK : fmi3_not_offered(c, "clocks");
}

fmu_status fmi3GetShiftDecimal(instance c, const reference vr[], size_t n, double shift[])
{
    (void)vr;
    (void)shift;
    return n == 0 && c ? FMU_OK : fmi3_not_offered(c, "clocks");
}

fmu_status fmi3GetShiftFraction(instance c, const reference vr[], size_t n, uint64_t counter[], uint64_t resolution[])
{
    (void)vr;
    (void)counter;
    (void)resolution;
    return n == 0 && c ? FMU_OK : fmi3_not_offered(c, "clocks");
}

fmu_status fmi3SetIntervalDecimal(instance c, const reference vr[], size_t n, const double interval[])
{
    (void)vr;
    (void)interval;
    return n == 0 && c ? FMU_OK : fmi3_not_offered(c, "clocks");
}

fmu_status fmi3SetIntervalFraction(instance c, const reference vr[], size_t n, const uint64_t counter[],
                            const uint64_t resolution[])
{
    (void)vr;
    (void)counter;
    (void)resolution;
    return n == 0 && c ? FMU_OK : fmi3_not_offered(c, "clocks");
}

fmu_status fmi3SetShiftDecimal(instance c, const reference vr[], size_t n, const double shift[])
{
    (void)vr;
    (void)shift;
    return n == 0 && c ? FMU_OK : fmi3_not_offered(c, "clocks");
}

fmu_status fmi3SetShiftFraction(instance c, const reference vr[], size_t n, const uint64_t counter[], const uint64_t resolution[])
{
    (void)vr;
    (void)counter;
    (void)resolution;
    return n == 0 && c ? FMU_OK : fmi3_not_offered(c, "clocks");
}

fmu_status fmi3ActivateModelPartition(instance c, reference clock, double time)
{
    (void)clock;
    (void)time;
    return fmi3_not_offered(c, "clocks");
}

instance fmi3InstantiateScheduledExecution(text name, text token, text resource, bool visible, bool logging,
                                           void *environment, log_message log, void (*clock)(void *), void (*lock)(void),
                                           void (*unlock)(void))
{
    (void)name;
    (void)token;
    (void)resource;
    (void)visible;
    (void)logging;
    (void)clock;
    (void)lock;
    (void)unlock;
    if (log)
        log(environment, FMU_ERROR, "logStatusError", "this FMU has no scheduled execution");
    return NULL;
}
