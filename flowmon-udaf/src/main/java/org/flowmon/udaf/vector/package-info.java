/** Values of up to 1,024 rows at a time, and conditions on them: TRUE, FALSE or NULL. */
package org.flowmon.udaf.vector;
