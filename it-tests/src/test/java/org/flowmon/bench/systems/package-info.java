/**
 * {@code flowmon bench systems}: the comparison of E. Abarca Ortiz, How good can databases deal
 * with Netflow data? (2011). The same flows and two queries go to flowmon, databases, nfdump and
 * flow-tools.
 */
package org.flowmon.bench.systems;
