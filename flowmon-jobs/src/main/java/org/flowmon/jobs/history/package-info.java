/**
 * History queries: lookups in the archive, by window, with their answers and what is cached of
 * them.
 */
@NullMarked
package org.flowmon.jobs.history;

import org.jspecify.annotations.NullMarked;
