/**
 * Commands that query an archive: SQL queries, reports that come along, statistics, the activity of
 * one host, the addresses seen.
 */
@NullMarked
package org.flowmon.deploy.query;

import org.jspecify.annotations.NullMarked;
