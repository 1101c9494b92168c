/**
 * Answers of queries: over whole groups, over rows, over the results of other queries; and how far
 * approximate values may be off.
 */
package org.flowmon.udaf.result;
