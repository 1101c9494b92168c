/**
 * Queries over archives: their options, answers and statistics. {@link
 * org.flowmon.archive.query.QueryPlanner} makes a {@link org.flowmon.archive.query.QueryPlan}, and
 * {@link org.flowmon.archive.query.QueryRun} runs it with the operators of the packages below.
 */
@NullMarked
package org.flowmon.archive.query;

import org.jspecify.annotations.NullMarked;
