/**
 * Standard output and standard error, which no text from outside may steer: streams, excerpts of
 * texts, and how far a long command is.
 */
package org.flowmon.deploy.terminal;
