/**
 * Queries over archives: their options, answers and statistics, and the runs that combine plan and
 * operators.
 */
package org.flowmon.archive.query;
