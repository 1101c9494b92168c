/**
 * Tables of groups that grow: keys, sums and the states of functions, found by hash; and which
 * groups are kept if there are too many. {@link GroupTable} is where to begin.
 */
package org.flowmon.udaf.group;
