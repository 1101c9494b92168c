/** What a group of a query is made of: its keys and the accumulators of its aggregates. */
package org.flowmon.udaf.aggregate;
