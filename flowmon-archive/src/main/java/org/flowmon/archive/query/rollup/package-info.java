/**
 * Rollups in place of rows: the cells of segments and of days that answer a query, and their
 * grouping.
 */
package org.flowmon.archive.query.rollup;
