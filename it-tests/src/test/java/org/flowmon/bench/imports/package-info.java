/** {@code flowmon bench import}: seconds from a file to a queryable archive. */
@NullMarked
package org.flowmon.bench.imports;

import org.jspecify.annotations.NullMarked;
