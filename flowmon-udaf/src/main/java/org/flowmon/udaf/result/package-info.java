/**
 * Answers of queries over groups, over rows and over the results of other queries, with the error
 * bounds of approximate values.
 */
@NullMarked
package org.flowmon.udaf.result;

import org.jspecify.annotations.NullMarked;
