/**
 * Commands that fill, check, list and maintain an archive, and the option by which all commands
 * find one.
 */
@NullMarked
package org.flowmon.deploy.archive;

import org.jspecify.annotations.NullMarked;
