/** Layout and states of groups: the keys, and the accumulators of the aggregates. */
package org.flowmon.udaf.aggregate;
