/** Writes rows to a table of a SQL database of any supported dialect. */
@NullMarked
package org.flowmon.deploy.export.sql;

import org.jspecify.annotations.NullMarked;
