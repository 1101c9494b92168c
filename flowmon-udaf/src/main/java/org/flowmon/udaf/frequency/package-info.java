/**
 * Heavy hitters: the items with most of a sum of weights. Start reading at {@link HeavyHitters}.
 */
@NullMarked
package org.flowmon.udaf.frequency;

import org.jspecify.annotations.NullMarked;
