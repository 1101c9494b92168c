/**
 * An archive of flows: opened, filled, read and cleared up. Start reading at {@link
 * org.flowmon.archive.Archive}.
 */
@NullMarked
package org.flowmon.archive;

import org.jspecify.annotations.NullMarked;
