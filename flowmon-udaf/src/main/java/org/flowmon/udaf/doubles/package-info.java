/** DOUBLE_SUMS: exact sums of doubles, behind SUM, AVG, STDDEV and STDDEV_POP of DOUBLE. */
@NullMarked
package org.flowmon.udaf.doubles;

import org.jspecify.annotations.NullMarked;
