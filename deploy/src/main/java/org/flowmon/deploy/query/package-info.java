/**
 * Commands that query an archive: SQL queries, statistics, the activity of one host, the addresses
 * seen.
 */
package org.flowmon.deploy.query;
