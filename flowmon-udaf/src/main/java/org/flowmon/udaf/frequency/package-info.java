/**
 * Heavy hitters: which items have most of a sum of weights; {@link HeavyHitters} is where to begin.
 */
package org.flowmon.udaf.frequency;
