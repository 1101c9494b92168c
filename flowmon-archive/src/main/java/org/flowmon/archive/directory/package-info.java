/**
 * The host directory: which segments hold an address ({@code docs/format/directory.md}). Derived
 * from the segments; its loss or damage changes no answer.
 */
@NullMarked
package org.flowmon.archive.directory;

import org.jspecify.annotations.NullMarked;
