/**
 * The central job that merges sites: their messages become partial groups of its live queries, in
 * place of a low level.
 */
@NullMarked
package org.flowmon.jobs.site.centre;

import org.jspecify.annotations.NullMarked;
