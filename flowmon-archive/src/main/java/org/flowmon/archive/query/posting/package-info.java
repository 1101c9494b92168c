/**
 * Finds rows of a segment by its sidecar: ids of addresses in sorted dictionaries, and their
 * posting lists.
 */
@NullMarked
package org.flowmon.archive.query.posting;

import org.jspecify.annotations.NullMarked;
