/** Values of up to 1,024 rows at a time, and conditions on them: TRUE, FALSE or NULL. */
@NullMarked
package org.flowmon.udaf.vector;

import org.jspecify.annotations.NullMarked;
