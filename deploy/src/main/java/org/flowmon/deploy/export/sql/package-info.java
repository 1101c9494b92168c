/** Writes rows to a table of a SQL database of any supported dialect. */
package org.flowmon.deploy.export.sql;
