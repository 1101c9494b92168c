/** Rows as a table of a SQL database, whichever its dialect. */
package org.flowmon.deploy.export.sql;
