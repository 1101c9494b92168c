/** Typed values: constants and parameters of queries, and the tables of their results. */
@NullMarked
package org.flowmon.udaf.value;

import org.jspecify.annotations.NullMarked;
