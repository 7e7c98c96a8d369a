/* The report of a run: the summary and the verdicts on the expectations of the model, as text or as JSON. */
#ifndef TN_CLI_RUN_REPORT_H
#define TN_CLI_RUN_REPORT_H

#include "output.h"

/* until: where the run should have ended, s. */
void tn_summary_print(const tn_model *model, const tn_session *session, double until, FILE *out);
cJSON *tn_json_summary(const tn_model *model, const tn_session *session);

/* unique.c: recorded reactions that redundant equations leave open at the present state, as names of channels; or the joints that have
 * such reactions, recorded or not. */
cJSON *tn_json_not_unique(tn_context *context, tn_session *session, bool joints);
void tn_not_unique_print(tn_context *context, tn_session *session, bool joints, FILE *out);

/* The same of a motion that was solved, not integrated; energy only where it is known. */
void tn_motion_print(const tn_model *model, const tn_session *session, double until, FILE *out);
cJSON *tn_json_motion(const tn_session *session);

/* Impacts, the events that fired and what they logged, in the order of time; nothing when there is none. */
void tn_events_print(const tn_session *session, FILE *out);
/* Writes all impacts that were kept as CSV: time, name, approach speed, normal impulse, lost energy. */
void tn_impacts_write(const tn_session *session, FILE *out);
/* Counts of contacts and impacts, and the touches at the end. */
void tn_touches_print(tn_session *session, FILE *out);
cJSON *tn_json_touches(tn_session *session);
cJSON *tn_json_impacts(const tn_session *session);
cJSON *tn_json_events(const tn_session *session);
cJSON *tn_json_log(const tn_session *session);

/* One line a verdict; only the failed ones when asked. */
/* ended: the run got to its end, or to where the model stops it; verdicts of any other are not ok. */
void tn_verdicts_print(const tn_session *session, bool ended, bool only_failed, FILE *out);
cJSON *tn_json_verdicts(const tn_session *session, bool ended);
bool tn_verdicts_hold(const tn_session *session);

/* Sixteen hexadecimal digits. */
enum { TN_HASH_TEXT = 17 };
const char *tn_hash_text(char text[TN_HASH_TEXT], const tn_session *session);

#endif
