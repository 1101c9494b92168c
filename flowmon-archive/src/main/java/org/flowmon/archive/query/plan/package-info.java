/**
 * The parts of a plan that follow before a segment is open: archives, segments and their order,
 * groupings, and whether rollups can replace rows and numbers addresses. And the plan as a tree,
 * with what each step read.
 */
@NullMarked
package org.flowmon.archive.query.plan;

import org.jspecify.annotations.NullMarked;
