/**
 * Standard output and standard error, protected from outside text: streams, excerpts of texts, and
 * progress.
 */
package org.flowmon.deploy.terminal;
