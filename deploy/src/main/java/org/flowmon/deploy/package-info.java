/** The {@code flowmon} command: its subcommands, its version, its start. */
@NullMarked
package org.flowmon.deploy;

import org.jspecify.annotations.NullMarked;
