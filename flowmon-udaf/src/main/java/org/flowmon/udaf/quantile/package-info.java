/**
 * Quantiles of the values of groups: {@link org.flowmon.udaf.quantile.Quantiles}, with summaries of
 * Greenwald and Khanna merged as in Cormode et al., "Holistic UDAFs at Streaming Speeds" (SIGMOD
 * 2004), and KLL sketches.
 */
@NullMarked
package org.flowmon.udaf.quantile;

import org.jspecify.annotations.NullMarked;
