/* Joints that contradict each other a little, because the file has few digits: they are taken as they are in the pose of the
 * file. */
#include "entities.h"
#include "machine.h"
#include "twist.h"
#include "vec.h"

static const double MOST = 1e-3;       /* m or rad: what is further apart is no rounding */
static const double TOLD = 1e-12;      /* m or rad: smaller changes are not counted */

static tn_pose frame_in_world(const tn_machine *machine, int body, const tn_pose *frame)
{
    tn_pose pose = tn_machine_pose(machine, body);
    return tn_pose_compose(&pose, frame);
}

bool tn_machine_fit(tn_machine *machine)
{
    double largest = 0;
    size_t count = 0;
    const tn_machine_joint *worst = NULL;
    for (int change = 0; change < 2; change++)
        for (size_t i = 0; i < machine->joint_count; i++) {
            tn_machine_joint *joint = &machine->joints[i];
            if (joint->merged || joint->dropped || joint->absorbed)
                continue;
            tn_pose a = frame_in_world(machine, joint->body1, &joint->frame1);
            tn_pose b = frame_in_world(machine, joint->body2, &joint->frame2);
            double gap = tn_twist_gap(joint->type, &a, &b);
            if (!change && gap > largest) {
                largest = gap;
                worst = joint;
            }
            if (change && gap > TOLD) {
                tn_pose body = tn_machine_pose(machine, joint->body2);
                tn_twist_fit(joint->type, &a, &b);
                joint->frame2 = tn_pose_relative(&body, &b);
                count++;
            }
            if (!change && gap > MOST)
                return false;
        }
    if (!worst || count == 0)
        return false;
    tn_machine_note_add(machine, TN_WARNING, worst->place, "joints contradict each other a little: %zu of them %s taken as they are in "
                        "the pose of the file, where '%s' fits worst, %.3g (m or rad) apart", count, count == 1 ? "is" : "are",
                        worst->name, largest);
    return true;
}
