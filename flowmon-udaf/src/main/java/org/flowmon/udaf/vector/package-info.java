/** Values of up to 1,024 rows at a time, and which of them are TRUE, FALSE or NULL. */
package org.flowmon.udaf.vector;
