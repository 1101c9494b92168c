/**
 * Sums that stand for rows: which cells of segments and of days answer a query, and how they become
 * groups.
 */
package org.flowmon.archive.query.rollup;
