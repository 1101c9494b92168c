/**
 * The plan of a query: archives, segments and their order, rows within its times, groups, and
 * whether rollups can replace rows and numbers addresses.
 */
package org.flowmon.archive.query.plan;
