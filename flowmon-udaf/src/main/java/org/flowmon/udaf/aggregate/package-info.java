/** Layout and states of groups: the keys, and the accumulators of the aggregates. */
@NullMarked
package org.flowmon.udaf.aggregate;

import org.jspecify.annotations.NullMarked;
