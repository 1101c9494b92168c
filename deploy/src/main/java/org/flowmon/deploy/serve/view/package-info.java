/** Named views that the users of a server share. */
@NullMarked
package org.flowmon.deploy.serve.view;

import org.jspecify.annotations.NullMarked;
