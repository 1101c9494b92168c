/**
 * Mapped memory, counted by reference, and what proves that bytes are whole: checksums, identities
 * of files, synced folders.
 */
@NullMarked
package org.flowmon.archive.region;

import org.jspecify.annotations.NullMarked;
