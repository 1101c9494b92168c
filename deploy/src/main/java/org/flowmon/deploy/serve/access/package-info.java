/** Who may ask a server what: tokens and their roles. */
@NullMarked
package org.flowmon.deploy.serve.access;

import org.jspecify.annotations.NullMarked;
