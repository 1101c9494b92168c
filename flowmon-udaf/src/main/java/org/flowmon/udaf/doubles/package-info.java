/** DOUBLE_SUMS: exact sums of doubles, behind SUM, AVG, STDDEV and STDDEV_POP of DOUBLE. */
package org.flowmon.udaf.doubles;
