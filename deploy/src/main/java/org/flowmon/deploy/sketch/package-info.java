/** flowmon sketch: merges, compares and queries states of aggregate functions from files. */
@NullMarked
package org.flowmon.deploy.sketch;

import org.jspecify.annotations.NullMarked;
