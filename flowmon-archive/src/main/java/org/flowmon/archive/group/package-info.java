/**
 * Groups whose keys are numbers: addresses are numbered for one query in their own order, so that
 * all keys of a row fit one long. {@link org.flowmon.archive.group.GroupPlan} says of which
 * queries.
 */
package org.flowmon.archive.group;
