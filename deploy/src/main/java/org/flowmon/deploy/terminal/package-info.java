/**
 * Standard output and standard error, protected from outside text: streams, excerpts of texts, and
 * progress.
 */
@NullMarked
package org.flowmon.deploy.terminal;

import org.jspecify.annotations.NullMarked;
